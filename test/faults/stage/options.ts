/** `GALLEY_FAULTS_SEED` repeats a run; otherwise every long run is another one. Printed where it is used. */
export const seed = Number(
  process.env.GALLEY_FAULTS_SEED ??
    (process.env.GALLEY_FAULTS === 'long' ? Math.floor(Math.random() * 2 ** 31) : 1),
)

/** Whether everything is run, however long it takes (`npm run test:faults`), or what fits into a minute. */
export const long = process.env.GALLEY_FAULTS === 'long'
