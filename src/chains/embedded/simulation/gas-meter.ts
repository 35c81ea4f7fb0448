/** Total gas used by all finished runs of a thread, successful or not. */
export type GasMeter = { used: number };
