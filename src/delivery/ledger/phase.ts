/** The steps that speak to the site, in their order. */
export type Step = 'reserve' | 'terms' | 'media' | 'fill' | 'verify'

/** How far an attempt has come. What a failure says about the site depends on it. */
export type Phase =
  /** The site has been asked nothing: the document is read, memory is waited for, or the upstream is asked. */
  | { name: 'before'; step: 'prepare' | 'confirm' }
  | { name: 'during'; step: Step }
  /** The site has done all of its part; how it ended is being written down. */
  | { name: 'after'; step: Step }

/** Where an attempt stands. Its steps say so as they begin. */
export class Progress {
  #phase: Phase = { name: 'before', step: 'prepare' }

  get phase(): Phase {
    return this.#phase
  }

  /** The upstream of the source is asked whether this is its document. */
  confirm(): void {
    this.#phase = { name: 'before', step: 'confirm' }
  }

  enter(step: Step): void {
    this.#phase = { name: 'during', step }
  }

  /** All steps are done. */
  finish(): void {
    if (this.#phase.name === 'during') this.#phase = { name: 'after', step: this.#phase.step }
  }
}
