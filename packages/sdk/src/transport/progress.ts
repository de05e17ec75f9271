import type { Logger, UploadProgress } from '../options.js';
import type { Body } from './call.js';

/** A body whose bytes are counted as the runtime takes them, with the content type that goes with it. */
export interface CountedBody {
  body: ReadableStream<Uint8Array>;
  type: string | undefined;
}

const sliceSize = 65_536;

/** The runtime's own stream of a form in memory comes in one piece: nothing to tell progress by. */
function slices(whole: Blob): ReadableStream<Uint8Array> {
  let offset = 0;
  return new ReadableStream({
    async pull(controller) {
      const end = offset + sliceSize;
      controller.enqueue(new Uint8Array(await whole.slice(offset, end).arrayBuffer()));
      offset = end;
      if (offset >= whole.size) controller.close();
    },
  });
}

/**
 * Tells how much of a body was sent. The runtime writes a form out as bytes first, which shows its size; of a stream
 * nobody knows the end before it comes.
 */
export async function counted(
  body: Body,
  onUploadProgress: (progress: UploadProgress) => void,
  logger: Logger | undefined,
): Promise<CountedBody> {
  const written = new Response(body);
  const type = written.headers.get('content-type') ?? undefined;
  const whole = body instanceof ReadableStream ? undefined : await written.blob();
  const source = whole ? slices(whole) : (written.body as ReadableStream<Uint8Array>);
  let sentBytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      sentBytes += chunk.byteLength;
      try {
        onUploadProgress({ sentBytes, totalBytes: whole?.size ?? sentBytes });
      } catch (error) {
        // Thrown from here it would end the body, and be told as a broken connection.
        logger?.warn(`onUploadProgress threw: ${error instanceof Error ? error.message : error}`);
      }
      controller.enqueue(chunk);
    },
  });
  return { body: source.pipeThrough(count), type };
}
