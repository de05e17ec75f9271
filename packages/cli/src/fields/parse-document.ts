import { parse as parseYaml } from 'yaml';
import { usageError } from '../errors/cli-error.js';

/** JSON or YAML; JSON is YAML too, and its errors name line and column. */
export function parse(text: string, path: string): unknown {
  try {
    return parseYaml(text, { schema: 'core' });
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw usageError(`${path} cannot be read: ${reason ?? ''}`);
  }
}
