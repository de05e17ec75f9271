import { usageError } from '../../errors/cli-error.js';
import { readYamlValue } from './read-yaml.js';

/**
 * JSON or YAML; JSON is YAML too.
 * @param name what sentences call the text
 * @throws a usage error that names the line
 */
export function parse(text: string, name: string): unknown {
  const read = readYamlValue(text);
  if ('value' in read) return read.value;
  const [{ at, message } = { at: { line: 1 }, message: '' }] = read.faults;
  throw usageError(`${name}:${at.line} cannot be read: ${message}`);
}
