/** Value that is available now, or later as a promise. A promise costs more than the computation of most answers. */
export type PromiseOrValue<T> = T | Promise<T>;

/** Passes a value to `next`, synchronously if the value is not a promise. Throws or rejects with the error of `next`. */
export function continueWith<T, U>(
  value: PromiseOrValue<T>,
  next: (value: T) => PromiseOrValue<U>,
): PromiseOrValue<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Returns the result of `work`. If `work` throws or rejects, returns the result of `recover` for the error. */
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
