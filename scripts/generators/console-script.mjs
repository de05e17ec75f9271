// The script of the console as text in a module, as `assets.mjs` does with the stylesheet. Its source is the panel of the mock.
import { asset } from '../lib/asset.mjs';

export const output = 'packages/mock-server/src/node/console-script.generated.ts';

export async function generate() {
  const script = { entryPoints: ['packages/mock-server/src/panel/console.ts'], format: 'esm', target: 'es2022' };
  return [
    '// Generated from the panel of the mock by `npm run generate`. Do not edit.\n',
    await asset('consoleScript', script),
  ];
}
