// Loaded by the first call that sends a file. It imports nothing but types: what it shared with the client would become a
// third file of every bundle.
import type { UploadProgress } from '../options.js';
import type { Body } from './body.js';

/** Bytes of a file, with the name and type to send. */
export interface NamedFile {
  data: Blob | Uint8Array | ArrayBuffer | Response | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
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
  | Response
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | NamedFile;

const isAsyncIterable = (value: object): value is AsyncIterable<Uint8Array> => Symbol.asyncIterator in value;

/** A file that cannot be sent. */
export class FileProblem extends Error {}

/** A file's whole content. Streams are read first: images are small, and their bytes can be sent again. */
async function blobOf(data: unknown, type: string | undefined): Promise<Blob> {
  const options = type === undefined ? {} : { type };
  if (data instanceof Blob) return type === undefined ? data : new Blob([data], options);
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return new Blob([data as BlobPart], options);
  if (data instanceof Response) {
    if (!data.ok || data.bodyUsed)
      throw new FileProblem(
        `The response given as a file ${data.ok ? 'was read already' : `has the status ${data.status}`}.`,
      );
    return blobOf(await data.blob(), type);
  }
  if (typeof data === 'object' && data !== null) {
    if (data instanceof ReadableStream && !isAsyncIterable(data))
      return new Blob([await new Response(data).blob()], options);
    if (isAsyncIterable(data)) {
      const parts: BlobPart[] = [];
      for await (const part of data) parts.push(part as BlobPart);
      return new Blob(parts, options);
    }
  }
  throw new FileProblem(
    'A file is a File, a Blob, bytes, a Response, a stream of bytes, or { data, name, type }. For a path use fileFromPath of @mkt/sdk/node.',
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
  const named: unknown = typeof file === 'object' && file !== null && 'data' in file ? file : { data: file };
  const { data, name, type } = named as NamedFile;
  const given =
    data instanceof Response
      ? /([^/?#]*)([?#]|$)/.exec(data.url)?.[1]
      : data instanceof Blob && 'name' in data && `${data.name}`;
  form.append(`${wrapper}[${fileField}]`, await blobOf(data, type), name ?? (given || 'file'));
  return form;
}

/** The runtime's own stream of bytes in memory is one chunk, which would cause one event. */
const sliceSize = 65_536;

/** A body that reports how much of it was sent, as the runtime reads it. */
export function withProgress(body: Body, report: (progress: UploadProgress) => void): ReadableStream<Uint8Array> {
  let whole: Blob | undefined;
  let sentBytes = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    whole ??= await new Response(body).blob();
    const slice = await whole.slice(sentBytes, sentBytes + sliceSize).arrayBuffer();
    controller.enqueue(new Uint8Array(slice));
    sentBytes += slice.byteLength;
    report({ sentBytes, totalBytes: whole.size });
    if (sentBytes >= whole.size) controller.close();
  };
  // Slices are only made when the runtime asks for them.
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}
