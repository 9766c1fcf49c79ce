/** Shows one thing that happened: who, and what. */
export type Show = (who: string, what: string) => void

/** Prints lines with the seconds since the demo began. */
export function createShow(print: (line: string) => void = console.log): Show {
  const began = Date.now()
  return (who, what) => {
    const seconds = ((Date.now() - began) / 1000).toFixed(1)
    print(`${seconds.padStart(5)} s  ${who.padEnd(15)} ${what}`)
  }
}
