import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const own = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
const define = (get: () => unknown) =>
  Object.defineProperty(globalThis, 'localStorage', { get, configurable: true, enumerable: false });
const warnings: unknown[] = [];
beforeEach(() => {
  warnings.length = 0;
  vi.resetModules();
  vi.spyOn(process, 'emitWarning').mockImplementation((warning: unknown) => void warnings.push(warning));
});
afterEach(() => {
  vi.restoreAllMocks();
  if (own) Object.defineProperty(globalThis, 'localStorage', own);
  else Reflect.deleteProperty(globalThis, 'localStorage');
});

test('storage that Node only warns about becomes an undefined global', async () => {
  define(() => void process.emitWarning('localStorage is not available', 'ExperimentalWarning'));
  await import('../src/node-storage.js');
  expect(globalThis.localStorage).toBeUndefined();
  expect(warnings).toEqual([]);
  process.emitWarning('another');
  expect(warnings).toEqual(['another']);
});

test('storage that exists stays', async () => {
  const storage = { getItem: () => null };
  define(() => storage);
  await import('../src/node-storage.js');
  expect(globalThis.localStorage).toBe(storage);
});

test('storage that throws stays', async () => {
  define(() => {
    throw new Error('SecurityError');
  });
  await import('../src/node-storage.js');
  expect(() => globalThis.localStorage).toThrow('SecurityError');
});
