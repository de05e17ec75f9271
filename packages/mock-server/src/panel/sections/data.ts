import type { SeedSource } from '../../control-types.js';
import { type Panel, type PanelSection, row } from '../panel.js';
import type { RequestList } from '../request-list.js';
import { download, type SnapshotsSection } from './snapshots.js';

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
