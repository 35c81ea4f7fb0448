/** Gas of runs that have ended, whatever came of them, all simulations of a thread together. */
export type GasMeter = { used: number };
