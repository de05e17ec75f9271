import type { Control } from '../../control/control.js';
import { form } from '../dom.js';
import { copyText, type Panel, type PanelSection, row } from '../panel.js';

/** Signs in with a token. Returns the message about it. */
async function signInAs({ options: { signIn } }: Panel, token: string, name: string): Promise<string> {
  if (signIn) {
    signIn(token, name);
    return `Signed in with ${name}.`;
  }
  document.dispatchEvent(new CustomEvent('mkt-sign-in', { detail: { token, name } }));
  const isCopied = await copyText(token).then(
    () => true,
    () => false,
  );
  return isCopied ? `The token ${name} is in the clipboard: ${token}` : `The token ${name}: ${token}`;
}

/** The seeded users, and tokens for any user. */
export function usersSection(panel: Panel): PanelSection {
  const { control } = panel;
  const users = row();
  let shown = '';
  const anyUser = form(
    'Any user',
    'Create a token',
    [
      { name: 'user', label: 'Id or e-mail' },
      { name: 'permission', label: 'May', kind: ['write', 'read'] },
    ],
    (values) =>
      void panel.run(async () => {
        const { token } = await control.createToken(values as unknown as Parameters<Control['createToken']>[0]);
        return signInAs(panel, token, String(values.user));
      }),
  );
  return {
    element: panel.section('Signed-in user', users, anyUser),
    refresh() {
      const tokens = Object.entries(control.tokens ?? {});
      // Buttons that stay keep the focus.
      const names = tokens.flat().join();
      if (names === shown) return;
      shown = names;
      users.replaceChildren(...tokens.map(([name, token]) => panel.button(name, () => signInAs(panel, token, name))));
    },
  };
}
