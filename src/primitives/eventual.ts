/** A value that is there, or that is still to come. A promise costs more than most answers. */
export type Eventual<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there. Throws or rejects with what `next` throws. */
export function continueWith<T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The outcome of `work`, or what `recover` makes of what it throws, at once or later. */
export function recoverWith<T>(
  work: () => Eventual<T>,
  recover: (error: unknown) => Eventual<T>,
): Eventual<T> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(recover) : value;
  } catch (error) {
    return recover(error);
  }
}
