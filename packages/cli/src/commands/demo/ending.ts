import { demoTokens } from '@mkt/server';
import type { Io } from '../../io/io.js';

/**
 * How this program is called here: whoever came through npm may not have it on the PATH. `npx mkt` is for a clone
 * (`npm run`): where it is not installed, npx would fetch a package of that name, which is not ours.
 */
const programIn = ({ npm_command: through }: Io['env']): string =>
  through === undefined ? 'mkt' : through === 'exec' ? 'npx @mkt/cli' : 'npx mkt';

const settingLines = (platform: NodeJS.Platform, values: Readonly<Record<string, string>>): string[] =>
  platform === 'win32'
    ? Object.entries(values).map(([name, value]) => `$env:${name} = '${value}'`)
    : [
        `export ${Object.entries(values)
          .flatMap(([name, value]) => `${name}=${value}`)
          .join(' ')}`,
      ];

/** What the person can do while the service goes on: everything as it is typed in a second terminal. */
export function whileItRuns(url: string, { env, platform }: Pick<Io, 'env' | 'platform'>): string {
  const mkt = programIn(env);
  return [
    `The service goes on until you leave: ${url}`,
    '',
    `  ${url}/sign_in   the same in a browser; sign in with a token`,
    `  ${url}/docs      the API, to try each request`,
    '',
    `  Ada, owner of Acme Cosmetics   ${demoTokens.ada_write}`,
    `  Ada, with a read-only token    ${demoTokens.ada_read}`,
    `  Cleo, a member, sees no drafts ${demoTokens.cleo_write}`,
    '',
    'Try it in a second terminal:',
    '',
    ...settingLines(platform, { MKT_BASE_URL: url, MKT_TOKEN: demoTokens.ada_write }).map((line) => `  ${line}`),
    `  ${mkt} campaigns pause 48 --org 5`,
    `  ${mkt} collabs list --org 5`,
    `  ${mkt} export campaigns --org 5 --out campaigns.csv`,
    '',
    'Programs use @mkt/sdk, front ends test against @mkt/mock-server.',
    '',
  ].join('\n');
}

/** What to do next when everything is over. */
export function afterwards({ env }: Pick<Io, 'env'>): string {
  const mkt = programIn(env);
  const line = (command: string, what: string) =>
    `  ${`${mkt} ${command}`.padEnd(Math.max(16, mkt.length + 9))} ${what}`;
  return [
    'That was the tour, every command run for real. The service is stopped, nothing is left behind.',
    '',
    line('demo', 'the tour at your own pace, on a terminal'),
    line('serve', 'a service with the same data that stays'),
    line('--help', 'every command'),
    '',
  ].join('\n');
}
