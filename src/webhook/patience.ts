/** Milliseconds after which the sender is told to come again: it waits for five seconds (docs/contract.md). */
export const GIVE_UP_MS = 4_000
