import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What a process holds at a moment. */
export interface Sample {
  /** Resident memory in kB. */
  readonly rss: number;
  /** Open descriptors: files, sockets, pipes. */
  readonly descriptors: number;
}

/** The arguments of another process of this machine, as every user of it can read them. */
export const commandLineOf = (pid: number): string =>
  process.platform === 'linux'
    ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    : execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });

/** Memory and descriptors of another process of this machine. Only on Linux. */
export function sampleOf(pid: number): Sample {
  const rss = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return { rss, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** The value below which a share of all values lies: 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
