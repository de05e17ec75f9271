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

/** A file's whole content. Streams are read first: images are small, and their bytes can be sent again. */
async function blobOf(data: unknown, type: string | undefined): Promise<Blob> {
  const isStream = data instanceof ReadableStream || Symbol.asyncIterator in Object(data);
  if (data instanceof Response) {
    if (!data.ok || data.bodyUsed)
      throw new Error(
        `The response given as a file ${data.ok ? 'was read already' : `has the status ${data.status}`}.`,
      );
  } else if (!isStream && !(data instanceof Blob || data instanceof ArrayBuffer || ArrayBuffer.isView(data)))
    throw new Error(
      'A file is a File, a Blob, bytes, a Response, a stream of bytes, or { data, name, type }. For a path use fileFromPath of @mkt/sdk/node.',
    );
  try {
    const parts: BlobPart[] = [];
    if (Symbol.asyncIterator in Object(data))
      for await (const part of data as AsyncIterable<Uint8Array>) parts.push(part as BlobPart);
    else if (isStream) parts.push(await new Response(data as ReadableStream).blob());
    else parts.push(data instanceof Response ? await data.blob() : (data as BlobPart));
    return new Blob(parts, { type: type ?? (parts[0] as Partial<Blob> | undefined)?.type ?? '' });
  } catch (cause) {
    throw new Error(`The file cannot be read: ${cause}`, { cause });
  }
}

/** A multipart body, with Rails names of the fields: `organization[name]`, `organization[tags][]`. */
export async function multipart(
  wrapper: string,
  fileField: string,
  { [fileField]: file, ...fields }: Record<string, unknown>,
): Promise<FormData> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) {
    const key = `${wrapper}[${field}]`;
    if (Array.isArray(value)) for (const one of value) form.append(`${key}[]`, String(one));
    else if (value !== undefined) form.append(key, String(value ?? ''));
  }
  const { data, name, type } = ('data' in Object(file) ? file : { data: file }) as NamedFile;
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
