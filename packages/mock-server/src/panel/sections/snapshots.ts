import type { SeedSource, Snapshot } from '../../control-types.js';
import { el } from '../dom.js';
import { copyText, inSession, type Panel, type PanelSection, row } from '../panel.js';
import type { RequestList } from '../request-list.js';
import { stateLink } from '../state-link.js';

async function download(name: string, text: Promise<string>): Promise<void> {
  const url = URL.createObjectURL(new Blob([await text]));
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function restoreFromFile(panel: Panel): HTMLInputElement {
  const file = el('input', { type: 'file', accept: '.json,.yaml', 'aria-label': 'Restore a snapshot or a seed file' });
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    const restore = async (): Promise<string> => {
      const text = await chosen.text();
      if (text.trimStart().startsWith('{')) {
        await panel.control.restore(JSON.parse(text) as Snapshot);
        return 'The snapshot was restored.';
      }
      await panel.control.seed(text);
      return 'The seed was loaded.';
    };
    void panel.run(restore).then(() => {
      file.value = '';
    });
  });
  return file;
}

const key = 'mkt-panel-snapshots';

export interface SnapshotsSection extends PanelSection {
  /** Saves a snapshot until the tab is closed. Returns the message about it. */
  readonly save: () => Promise<string>;
}

/** Saves and restores data, clock, faults and delay: in the page, in files and in links. */
export function snapshotsSection(panel: Panel): SnapshotsSection {
  const { control } = panel;
  const saved = el('ul', { 'aria-label': 'Saved snapshots' });
  const snapshotText = async (): Promise<string> => JSON.stringify(await control.snapshot());
  const add = (text: string): string => {
    const name = `Snapshot ${saved.childElementCount + 1}`;
    const restore = () => control.restore(JSON.parse(text) as Snapshot);
    const button = panel.button('Restore', restore, `${name} was restored.`, { 'aria-label': `Restore ${name}` });
    saved.append(el('li', {}, name, button));
    return name;
  };
  const kept = inSession((storage) => JSON.parse(storage.getItem(key) ?? '[]') as string[]) ?? [];
  for (const text of kept) add(text);
  const save = async (): Promise<string> => {
    const text = await snapshotText();
    const name = add(text);
    kept.push(text);
    const isStored = inSession((storage) => {
      storage.setItem(key, JSON.stringify(kept));
      return true;
    });
    return `${name} was saved${isStored ? ', until the tab is closed.' : '. It is too large to survive a reload: download it.'}`;
  };
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

const aboutLarge = 'Organization 11, Amber Apparel 1, has 10,000 campaigns. Ada owns it.';

/** Resets and replaces data. */
export function dataSection(panel: Panel, snapshots: SnapshotsSection, requests: RequestList): PanelSection {
  const { control } = panel;
  const reset = async (): Promise<void> => {
    await snapshots.save();
    await control.reset();
    requests.clear();
  };
  const loadSeed = (source: SeedSource) => async (): Promise<string> => {
    await snapshots.save();
    const tokens = await control.seed(source);
    const [first = ''] = Object.values(tokens);
    if (source === 'empty') return `The data is empty. Its only token: ${first}`;
    return `The data is now ${source}.${source === 'large' ? ` ${aboutLarge}` : ''}`;
  };
  const exportSeed = () => download('mkt-seed.yaml', Promise.resolve(control.export()));
  return {
    element: panel.section(
      'Data',
      row(
        panel.button('Reset everything', reset, 'Everything was reset. To undo it, restore the last snapshot.'),
        ...(['demo', 'empty', 'large'] as const).map((source) =>
          panel.button(`Load ${source}`, loadSeed(source), undefined, source === 'large' ? { title: aboutLarge } : {}),
        ),
        panel.button('Download a seed', exportSeed, 'The seed was downloaded.'),
      ),
    ),
  };
}
