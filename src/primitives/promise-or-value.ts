/** A value that is there, or that is still to come. A promise costs more than most answers. */
export type PromiseOrValue<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there. Throws or rejects with what `next` throws. */
export function continueWith<T, U>(
  value: PromiseOrValue<T>,
  next: (value: T) => PromiseOrValue<U>,
): PromiseOrValue<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The outcome of `work`, or what `recover` makes of what it throws, at once or later. */
export function recoverWith<T>(
  work: () => PromiseOrValue<T>,
  recover: (error: unknown) => PromiseOrValue<T>,
): PromiseOrValue<T> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(recover) : value;
  } catch (error) {
    return recover(error);
  }
}
