import type { Column } from './view.js';

/** Between two columns. */
export const GAP = 2;
/** A column that may be cut counts as at most this wide when it is decided which columns have room. */
const comfort = (width: number): number => Math.min(28, Math.floor(width * 0.35));
const NARROWEST = 6;

interface Measured {
  readonly column: Column;
  /** Width of its widest cell. */
  readonly natural: number;
}

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, widths.length - 1);

/**
 * Which columns a terminal of `width` has room for, and how wide each is: the least important go first, then what may
 * be cut is cut, the widest first; ids never.
 */
export function fitColumns(
  measured: readonly Measured[],
  width: number,
  keepAll: boolean,
): { column: Column; width: number }[] {
  let kept = [...measured];
  const wanted = ({ column, natural }: Measured) => (column.whole ? natural : Math.min(natural, comfort(width)));
  while (!keepAll && total(kept.map(wanted)) > width) {
    const least = Math.max(...kept.map(({ column }) => column.priority));
    if (least === 0) break;
    const index = kept.findLastIndex(({ column }) => column.priority === least);
    kept = kept.filter((_, position) => position !== index);
  }
  const fitted = kept.map(({ column, natural }) => ({ column, width: natural }));
  for (;;) {
    const over = total(fitted.map((each) => each.width)) - width;
    if (over <= 0) return fitted;
    const widest = fitted
      .filter((each) => !each.column.whole && each.width > NARROWEST)
      .reduce<(typeof fitted)[number] | undefined>(
        (most, each) => (most && most.width >= each.width ? most : each),
        undefined,
      );
    if (widest === undefined) return fitted;
    const next = Math.max(
      NARROWEST,
      ...fitted.filter((each) => !each.column.whole && each.width < widest.width).map((each) => each.width),
    );
    widest.width = Math.max(NARROWEST, widest.width - Math.max(1, Math.min(over, widest.width - next)));
  }
}
