import { ConfigurationError } from '../errors.js';

/** Bytes of a file, with the name and type to send. */
export interface NamedFile {
  data: Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
  /** File name. Default `file`. */
  name?: string | undefined;
  /** Media type, such as `image/png`. */
  type?: string | undefined;
}

/** A file to send. On Node a path becomes one by `fileFromPath` of `@mkt/sdk/node`. */
export type FileInput =
  | File
  | Blob
  | Uint8Array
  | ArrayBuffer
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | NamedFile;

const isAsyncIterable = (value: object): value is AsyncIterable<Uint8Array> => Symbol.asyncIterator in value;

/** A file's whole content. Streams are read first: an image is small (D30), and a read one can be sent again. */
async function blobOf(data: unknown, type: string | undefined): Promise<Blob> {
  const options = type === undefined ? {} : { type };
  if (data instanceof Blob) return type === undefined ? data : new Blob([data], options);
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return new Blob([data as BlobPart], options);
  if (typeof data === 'object' && data !== null) {
    if (data instanceof ReadableStream && !isAsyncIterable(data))
      return new Blob([await new Response(data).blob()], options);
    if (isAsyncIterable(data)) {
      const parts: BlobPart[] = [];
      for await (const part of data) parts.push(part as BlobPart);
      return new Blob(parts, options);
    }
  }
  throw new ConfigurationError(
    'A file is a File, a Blob, bytes, a stream of bytes, or { data, name, type }. For a path use fileFromPath of @mkt/sdk/node.',
  );
}

/** Appends fields under their Rails names: `organization[name]`, `organization[tags][]`. */
function appendFields(form: FormData, wrapper: string, fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const key = `${wrapper}[${name}]`;
    if (Array.isArray(value)) for (const one of value) form.append(`${key}[]`, String(one));
    else form.append(key, value === null ? '' : String(value));
  }
}

/** A multipart body. */
export async function multipart(
  wrapper: string,
  fileField: string,
  { [fileField]: file, ...fields }: Record<string, unknown>,
): Promise<FormData> {
  const form = new FormData();
  appendFields(form, wrapper, fields);
  const named = typeof file === 'object' && file !== null && 'data' in file ? (file as NamedFile) : { data: file };
  const { data, name, type } = named as NamedFile;
  const given = data instanceof Blob && 'name' in data ? String(data.name) : 'file';
  form.append(`${wrapper}[${fileField}]`, await blobOf(data, type), name ?? given);
  return form;
}
