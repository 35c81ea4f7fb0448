/** Total gas of finished runs, successful or not, over all simulations of a thread. */
export type GasMeter = { used: number };
