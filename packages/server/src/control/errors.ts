/** A control verb that cannot be carried out, in a plain sentence that says what to do. Nothing was changed. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}
