// Phrases that read like a literal translation stay out of code, messages, docs and test titles. Each has a plain replacement.
// Numbers of decisions are only for docs and tests: a comment in the source gives the reason itself.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Each pattern with what to write instead. */
const phrases = [
  [
    /(?<!there )\b(is|are|was|were) no (?!longer\b|more\b|different\b|such\b|\w+er\b)\w+/,
    '"is not a ..." or "there is no ..."',
  ],
  [/(?<!there )\b(is|are) none\b/, '"is not one", "has none"'],
  [/\bstands?\b(?! for\b| out\b|-)/, '"is"'],
  [/\bbeside\b/, '"next to", "compared with"'],
  [/\bmend(s|ed|ing)?\b/, '"fix"'],
  [/\banew\b/, '"again"'],
  [/\ball the same\b/, '"still", "anyway"'],
  [/\bas such\b/, 'leave it out'],
  [/\b(is|are) told\b/, '"is shown"'],
  [/\btells\b(?! you\b)/, '"shows", "says", "distinguishes"'],
  [/\bgo(es)? before\b/, '"overrides", "precedes"'],
  // 'nobody' after '-u' is a system user.
  [/\b(?<!'-u', ')(nobody|somebody|whoever)\b/, '"no one", "someone", or the role: "the caller", "another user"'],
  [/\bwho is\b/, 'name the role: "members", "the signed-in user"'],
  [/\balone\b/, '"only"'],
  [/\bat work\b/, '"running"'],
  [/\bfor certain\b/, '"certainly"'],
  [/\bbe rid of\b/, '"remove"'],
  [/\bthings?\b/, 'name it: "resource", "value", "row"'],
  [/\bof which\b/, '"whose", or two sentences'],
  // `aria-labelledby` is a name of HTML.
  [/\b(behaviour|catalogue|labelled(?!by)|neighbour|normalis|sanitis)/, 'the American spelling'],
];

/** Names in code that readers could not guess, with what they were renamed to. */
const names = [
  [
    /\b(?:interface|type|class) (?:Known|Walk|Makers|AnswerDetails)\b/g,
    'the word of the field, such as ResponseDetails',
  ],
  [
    /\bexport (?:default )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (?:look|liken|given|made)\b/g,
    'what it returns',
  ],
  [/\bexport (?:type )?\{[^}]*\b(?:look|liken|given|made)\s*[,}]/g, 'what it returns'],
];

const anyCase = phrases.map(([pattern, instead]) => [new RegExp(pattern, 'i'), instead]);
const decisionNumber = [/\bD\d{1,3}\b/, 'the reason: only docs and tests cite decisions'];
const mayCiteDecisions = /(^|\/)(docs|test|e2e|\.changeset)\//;

/** Text that is not ours, that is about these phrases, or that the benchmarks write. */
const skipped =
  /(^|\/)(package-lock\.json|CHANGELOG\.md|LICENSE)$|^scripts\/checks\/words\.mjs$|^docs\/benchmarks\.md$|\.(webp|svg|jpe?g|png|ico|snap)$|generated\.|^packages\/server\/src\/web\/styles\//;

const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
const files = stdout.split('\n').filter((path) => existsSync(path) && !skipped.test(path));
const found = files.flatMap((path) => {
  const patterns = mayCiteDecisions.test(path) ? anyCase : [...anyCase, decisionNumber];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, at) =>
      patterns.flatMap(([pattern, instead]) => {
        const [phrase] = pattern.exec(line) ?? [];
        return phrase ? [`${path}:${at + 1}: "${phrase}". Write ${instead}.`] : [];
      }),
    );
});
for (const path of files.filter((each) => /\.(ts|tsx|mjs)$/.test(each))) {
  const text = readFileSync(path, 'utf8');
  for (const [pattern, instead] of names)
    for (const { 0: name, index } of text.matchAll(pattern))
      found.push(`${path}:${text.slice(0, index).split('\n').length}: "${name}". Name it by ${instead}.`);
}

/** Words of the pages that people write. Readers call their volume the burden, so a new paragraph replaces an older one. */
const limit = 43_000;
const written = /^docs\/(cli|benchmarks|reference\/(endpoints|control-api))\.md$|^\.changeset\/|CHANGELOG\.md$/;
const pages = files.filter((path) => path.endsWith('.md') && !written.test(path));
const words = pages.reduce((sum, path) => sum + readFileSync(path, 'utf8').split(/\s+/).filter(Boolean).length, 0);
if (words > limit)
  found.push(`The pages have ${words} words of at most ${limit}. Shorten some, or delete what stands twice.`);

if (found.length > 0) {
  process.stderr.write(`${found.join('\n')}\n`);
  process.exitCode = 1;
}
