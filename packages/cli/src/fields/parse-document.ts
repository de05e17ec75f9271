import { parse as parseYaml, YAMLParseError } from 'yaml';
import { usageError } from '../errors/cli-error.js';
import { yamlFault } from './yaml-fault.js';

/**
 * JSON or YAML; JSON is YAML too.
 * @param name what sentences call the text
 * @throws a usage error that names the line
 */
export function parse(text: string, name: string): unknown {
  try {
    return parseYaml(text, { schema: 'core' });
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    const line = error instanceof YAMLParseError ? `:${error.linePos?.[0].line ?? 1}` : '';
    throw usageError(`${name}${line} cannot be read: ${yamlFault(reason.replace(/ at line \d+, column \d+:?$/, ''))}`);
  }
}
