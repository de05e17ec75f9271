import { readdirSync, readFileSync } from 'node:fs';

/** What a process holds at a moment. */
export interface Sample {
  /** Resident memory in kB. */
  readonly rss: number;
  /** Open descriptors: files, sockets, pipes. */
  readonly descriptors: number;
}

/** Looks at another process of this machine. Linux alone. */
export function sampleOf(pid: number): Sample {
  const rss = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return { rss, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** The value below which a share of all values lies: 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
