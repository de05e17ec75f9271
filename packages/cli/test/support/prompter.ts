import type { Prompter } from '../../src/io/io.js';

/** Someone at the terminal who answers each question in turn, and remembers what was asked. */
export function scriptedPrompter(...answers: readonly (string | boolean)[]): Prompter & { readonly asked: string[] } {
  const asked: string[] = [];
  const left = [...answers];
  const next = (question: string) => {
    asked.push(question);
    const answer = left.shift();
    if (answer === undefined) throw new Error(`Unexpected prompt: ${question}`);
    return answer;
  };
  return {
    asked,
    text: async (question, { check } = {}) => {
      const answer = String(next(question));
      const complaint = check?.(answer);
      if (complaint !== undefined) throw new Error(complaint);
      return answer;
    },
    // Asked again after a rejected answer, as on a terminal.
    secret: async (question, check) => {
      for (;;) {
        const answer = String(next(question));
        if (check(answer) === undefined) return answer;
      }
    },
    confirm: async (question) => next(question) === true,
    select: async (question, choices) => {
      const wanted = next(question);
      const choice = choices.find(({ value, label }) => value === wanted || label === wanted);
      if (choice === undefined)
        throw new Error(`${wanted} is not one of ${choices.map(({ label }) => label).join(', ')}`);
      return choice.value;
    },
  };
}
