// Imported before `msw`, which accesses `localStorage` when it is loaded. Node 25 and newer have one that is undefined
// without `--localstorage-file`, and print a warning at the first access. There it becomes a global without a getter; where
// there is storage it stays.

interface NodeProcess {
  readonly versions?: { readonly node?: string };
  emitWarning: (...details: unknown[]) => void;
}

const { process } = globalThis as { readonly process?: NodeProcess };

if (process?.versions?.node !== undefined && Object.getOwnPropertyDescriptor(globalThis, 'localStorage')?.get) {
  const { emitWarning } = process;
  let warns = false;
  process.emitWarning = () => {
    warns = true;
  };
  try {
    void globalThis.localStorage;
  } catch {
    // That of jsdom, in a page without an origin.
  } finally {
    process.emitWarning = emitWarning;
  }
  if (warns)
    Object.defineProperty(globalThis, 'localStorage', { value: undefined, configurable: true, writable: true });
}

export {};
