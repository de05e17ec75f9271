/** Whether a variable of the environment switches something on: `0`, `false` and an empty one do not. */
export const isOn = (value: string | undefined): boolean => value !== undefined && !/^(?:0|false)?$/i.test(value);
