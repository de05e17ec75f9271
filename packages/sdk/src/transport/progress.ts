import type { Logger, UploadProgress } from '../options.js';
import type { Body } from './call.js';

/** The runtime's own stream of bytes in memory comes in one piece: nothing to tell progress by. */
const sliceSize = 65_536;

/** A body that tells how much of it was sent, as the runtime takes it. */
export async function counted(
  body: Body,
  onUploadProgress: (progress: UploadProgress) => void,
  logger: Logger | undefined,
): Promise<ReadableStream<Uint8Array>> {
  const whole = await new Response(body).blob();
  let sentBytes = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const slice = await whole.slice(sentBytes, sentBytes + sliceSize).arrayBuffer();
    controller.enqueue(new Uint8Array(slice));
    sentBytes += slice.byteLength;
    try {
      onUploadProgress({ sentBytes, totalBytes: whole.size });
    } catch (error) {
      // Thrown from here it would end the body, and be told as a broken connection.
      logger?.warn(`onUploadProgress threw: ${error instanceof Error ? error.message : error}`);
    }
    if (sentBytes >= whole.size) controller.close();
  };
  // No slice is made before the runtime asks for it.
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}
