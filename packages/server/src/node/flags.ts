import { InvalidArgumentError } from 'commander';
import type { CorsPolicy } from '../http/cors.js';
import type { RateLimit } from '../http/rate-limit.js';

const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (number < least || number > most) {
      throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
    }
    return number;
  };

export const port = whole(0, 65_535);
export const pageSize = whole(1, 1000);
export const connections = whole(1, 1000);
/** Milliseconds. */
export const latency = whole(0, 600_000);
export const maxConnections = whole(1, 1_000_000);
/** In milliseconds: a command line counts in seconds. */
export const seconds =
  (least: number) =>
  (text: string): number =>
    whole(least, 3600)(text) * 1000;

const units: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

/** `60/min` */
export function rateLimit(text: string): RateLimit {
  const [, requests, unit = ''] = /^([1-9]\d{0,8})\/(s|min|h)$/.exec(text) ?? [];
  const seconds = units[unit];
  if (requests === undefined || seconds === undefined) {
    throw new InvalidArgumentError('Give requests per s, min or h, such as 60/min.');
  }
  return { requests: Number(requests), seconds };
}

/** `*`, `off`, or origins with commas between them. */
export function cors(text: string): CorsPolicy {
  if (text === '*' || text === 'off') return text;
  return text.split(',').map((part) => {
    const origin = URL.canParse(part.trim()) ? new URL(part.trim()) : null;
    if (origin === null || origin.origin === 'null' || origin.href !== `${origin.origin}/`) {
      throw new InvalidArgumentError('Give *, off, or origins such as https://app.example.com,http://localhost:3000.');
    }
    return origin.origin;
  });
}

export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new InvalidArgumentError('Give an http or https address, such as https://api.example.com.');
  }
  return url.href.replace(/\/+$/, '');
}

/** An address to listen on; an IPv6 one with or without the brackets that it has in a URL. */
export function host(text: string): string {
  const address = text.replace(/^\[(.*)\]$/, '$1');
  if (!/^[^\s/[\]]+$/.test(address))
    throw new InvalidArgumentError('Give an address of this machine, such as 127.0.0.1.');
  return address;
}

/** `HOST:PORT` of a flag that may be given several times. */
export function hostAndPort(text: string, before: readonly string[] = []): string[] {
  if (!/^[^\s/@]+:\d{1,5}$/.test(text))
    throw new InvalidArgumentError('Give HOST:PORT, such as intranet.example:8080.');
  return [...before, text];
}

/** A flag that may be given several times. */
export const repeated = (text: string, before: readonly string[] = []): string[] => [...before, text];

export function permission(text: string): 'read' | 'write' {
  if (text !== 'read' && text !== 'write') throw new InvalidArgumentError('Give read or write.');
  return text;
}

export function email(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text))
    throw new InvalidArgumentError('Give an e-mail address, such as ada@example.com.');
  return text;
}
