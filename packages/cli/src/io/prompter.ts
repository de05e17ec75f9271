export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Asks the person at the terminal. Every question has a flag that answers it; only `Context.ask` hands one out. */
export interface Prompter {
  text(
    question: string,
    options?: { readonly hint?: string; readonly check?: (answer: string) => string | undefined },
  ): Promise<string>;
  secret(question: string): Promise<string>;
  /** The default answer is no. */
  confirm(question: string): Promise<boolean>;
  select(question: string, choices: readonly Choice[]): Promise<string>;
}
