/**
 * The database cannot be used as it is configured: a wrong path, password or file, a missing driver. Its message is one
 * plain sentence with what to do; it never holds a password. Nothing was changed.
 */
export class StoreConfigurationError extends Error {
  override readonly name: string = 'StoreConfigurationError';
}

/** The database was written by a newer version of this program, which alone knows how to read it. */
export class SchemaTooNew extends StoreConfigurationError {
  override readonly name = 'SchemaTooNew';
  constructor(database: string, versions: readonly string[]) {
    super(
      `${database} was made by a newer version of @mkt/server (it has schema version ${versions.join(', ')}); ` +
        'nothing was changed. Update @mkt/server, or use another database.',
    );
  }
}
