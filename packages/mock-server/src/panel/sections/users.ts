import type { Control } from '../../control/control.js';
import { el, form } from '../dom.js';
import { copyText, type Panel, type PanelSection, row } from '../panel.js';
import type { RequestList } from '../request-list.js';

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

/** Whether this token of a seed belongs to the user. */
const isOf = (name: string, user: string | null): boolean => `usr_${name.replace(/_(read|write).*$/, '')}` === user;

/** The seeded users, and tokens for any user. */
export function usersSection(panel: Panel, requests: RequestList): PanelSection {
  const { control } = panel;
  const users = row();
  const present = el('p', { class: 'quiet' });
  let shown = '';
  /** The name of the token that the panel signed in with. */
  let chosen = '';
  const signIn = (token: string, name: string): Promise<string> => {
    chosen = name;
    return signInAs(panel, token, name);
  };
  const anyUser = form(
    'Any user',
    'Create a token',
    [
      { name: 'user', label: 'Id or e-mail' },
      { name: 'permission', label: 'May', choices: ['write', 'read'] },
    ],
    (values) =>
      void panel.run(async () => {
        const { token } = await control.createToken(values as unknown as Parameters<Control['createToken']>[0]);
        return signIn(token, values.user ?? '');
      }),
  );
  const revoke = panel.button('Revoke this token', async () => {
    const token = control.tokens?.[chosen];
    if (token === undefined) return 'Sign in with a token first.';
    await control.act.revokeToken(token);
    return `Revoked ${chosen}. Its next call gets 401.`;
  });
  const showTokens = (): void => {
    const tokens = Object.entries(control.tokens ?? {});
    // Buttons that stay keep the focus.
    const names = tokens.flat().join();
    if (names === shown) return;
    shown = names;
    users.replaceChildren(...tokens.map(([name, token]) => panel.button(name, () => signIn(token, name))));
  };
  return {
    element: panel.section('Signed-in user', present, users, revoke, anyUser),
    refresh() {
      showTokens();
      const { lastUser } = requests;
      present.textContent =
        lastUser === null ? 'No request has had a valid token.' : `The last request was from ${lastUser}.`;
      // A user can have several tokens: the one that was chosen here, otherwise the first.
      const names = [...users.children].map((button) => button.textContent ?? '');
      const pressed = [chosen, ...names].find((name) => isOf(name, lastUser));
      for (const button of users.children) button.setAttribute('aria-pressed', String(button.textContent === pressed));
    },
  };
}
