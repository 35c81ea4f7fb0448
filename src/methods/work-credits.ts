/** Credits for work at nodes beyond the weight of its call, by its name in a table of credits. */
export const WORK_CREDITS = {
  /** An account, a slot or a code that nodes prove for a call that is executed here. */
  execution_provenKey: 10,
  /** A turn in which such a call asks nodes. */
  execution_roundTrip: 80,
} as const;

export const WORK_NAMES: readonly string[] = Object.keys(WORK_CREDITS);
