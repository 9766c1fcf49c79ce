/** Writes a line to standard output; resolves once it is out, rejects where nobody takes it. */
export const say = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    // A closed pipe is told to the callback, and beside it as an event that would end the process.
    process.stdout.once('error', reject)
    process.stdout.write(`${text}\n`, (error) => {
      process.stdout.off('error', reject)
      if (error) reject(error)
      else resolve()
    })
  })
