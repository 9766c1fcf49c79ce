/** Writes a line to standard output; resolves once it is out, rejects where nobody takes it. */
export const say = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    // A closed pipe is told to the callback, and after it as an event that would end the process.
    process.stdout.once('error', reject)
    process.stdout.write(`${text}\n`, (error) => {
      if (error) return reject(error)
      process.stdout.off('error', reject)
      resolve()
    })
  })
