import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Locked {
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

test('required dependencies have no install script, except MSW, a peer that the user installs', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(scripted.length).toBeGreaterThan(0);
  const installed = scripted.filter(([, { dev, optional }]) => !dev && !optional).map(([path]) => path);
  expect(installed.filter((path) => path !== 'node_modules/msw')).toEqual([]);
});
