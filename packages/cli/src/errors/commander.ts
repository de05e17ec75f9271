import { type CliError, usageError } from './cli-error.js';

/** commander's message as our error: one line with its suggestion, and where help is. */
export function usageErrorFrom(error: Error, help: string): CliError {
  const [line = '', ...suggestion] = error.message.replace(/^error: /, '').split('\n');
  const sentence = `${line.charAt(0).toUpperCase()}${line.slice(1).replace(/\.?$/, '.')}`;
  return usageError([sentence, ...suggestion.map((text) => text.replace(/^\((.*)\)$/, '$1'))].join(' '), help);
}
