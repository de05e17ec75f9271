import type { Snapshot } from '../../control-types.js';
import { el } from '../dom.js';
import { copyText, type Panel, type PanelSection, row } from '../panel.js';
import { stateLink } from '../state-link.js';

export async function download(name: string, text: Promise<string>): Promise<void> {
  const url = URL.createObjectURL(new Blob([await text]));
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Restores the file that is chosen. */
function restoreFromFile(panel: Panel): HTMLInputElement {
  const file = el('input', { type: 'file', accept: '.json', 'aria-label': 'Restore a snapshot file' });
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    const restore = async (): Promise<void> => {
      await panel.control.restore(JSON.parse(await chosen.text()) as Snapshot);
    };
    void panel.run(restore, 'The snapshot was restored.').then(() => {
      file.value = '';
    });
  });
  return file;
}

export interface SnapshotsSection extends PanelSection {
  /** Saves a snapshot until the page is left. Returns the message about it. */
  readonly save: () => Promise<string>;
}

/** Saves and restores data, clock, faults and delay: in the page, in files and in links. */
export function snapshotsSection(panel: Panel): SnapshotsSection {
  const { control } = panel;
  const saved = el('ul', { 'aria-label': 'Saved snapshots' });
  const save = async (): Promise<string> => {
    const snapshot = await control.snapshot();
    const name = `Snapshot ${saved.childElementCount + 1}`;
    const attributes = { 'aria-label': `Restore ${name}` };
    const restore = panel.button('Restore', () => control.restore(snapshot), `${name} was restored.`, attributes);
    saved.append(el('li', {}, name, restore));
    return `${name} was saved, until the page is left.`;
  };
  const snapshotText = async (): Promise<string> => JSON.stringify(await control.snapshot());
  const copyLink = async (): Promise<string> => {
    await copyText(await stateLink(await control.snapshot()));
    return 'The link is in the clipboard. It opens this page with this state.';
  };
  return {
    element: panel.section(
      'Snapshots',
      row(
        panel.button('Save', save),
        panel.button('Download', () => download('mkt-snapshot.json', snapshotText()), 'The snapshot was downloaded.'),
        panel.button('Copy link', copyLink),
        restoreFromFile(panel),
      ),
      saved,
    ),
    save,
  };
}
