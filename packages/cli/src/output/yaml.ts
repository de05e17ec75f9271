import { dump } from 'js-yaml';

/** YAML that YAML 1.1 readers understand too: `yes` and `no` are quoted. */
export const yamlText = (value: unknown): string => dump(value, { lineWidth: -1, noRefs: true });
