/** Value that is available now or later. A promise costs more than most answers take to compute. */
export type PromiseOrValue<T> = T | Promise<T>;

/** Passes a value to `next`, synchronously if it is available. Throws or rejects with the error of `next`. */
export function continueWith<T, U>(
  value: PromiseOrValue<T>,
  next: (value: T) => PromiseOrValue<U>,
): PromiseOrValue<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Returns the result of `work`, or that of `recover` for its error, synchronous or not. */
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
