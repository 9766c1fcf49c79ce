/** How a writer keeps to the lengths that it is asked for. */
export interface Pace {
  /** What to ask for so that about so much comes. */
  ask(wanted: number): number
  /** So much was asked for, and so much came. */
  note(asked: number, came: number): void
}

/** As many answers as what is expected of a writer, that it keeps to the length, counts for. */
const TRUST = 2
/** The most by which what is asked for differs from what is wanted. */
const MOST = 3

/** The habit is the mean of what came by what was asked for, as a ratio; a single miss is no habit yet. */
export function startPace(): Pace {
  let sum = 0
  let answers = 0
  return {
    ask: (wanted) => {
      const habit = Math.exp(sum / (answers + TRUST))
      return Math.max(1, Math.round(wanted / Math.min(MOST, Math.max(1 / MOST, habit))))
    },
    note: (asked, came) => {
      if (asked <= 0 || came <= 0) return
      sum += Math.log(came / asked)
      answers += 1
    },
  }
}
