import { GalleyError } from '../../errors.ts'
import { refusesCredentials } from '../failures/index.ts'
import { Health } from './health.ts'
import { passes, saidOfSite } from './passing.ts'
import { Window } from './window.ts'

/** What the answers of a site say of it, and how many requests it gets because of that. */
export class Standing {
  readonly window: Window
  readonly health: Health

  constructor(ceiling: number, now: () => number) {
    this.window = new Window(ceiling)
    this.health = new Health(now)
  }

  succeeded(): void {
    this.health.succeeded()
    this.window.widen()
  }

  /**
   * @returns whether nobody else is to try now: a dead site is not asked once more by everybody who waits, nor is one told
   * a wrong password so often
   */
  failed(error: unknown): error is GalleyError {
    const said = saidOfSite(error)
    if (said === 'answered') this.succeeded()
    if (said === 'failed') this.#siteFailed(error)
    if (!(error instanceof GalleyError)) return false
    return (said === 'failed' && this.health.persists) || refusesCredentials(error)
  }

  #siteFailed(error: unknown): void {
    this.health.failed(passes(error))
    if (this.health.persists) this.window.shut()
    else if (this.health.isIsolated && !isTimeout(error)) this.window.wait()
    else this.window.narrow()
  }
}

/** A site that answers late is asked for too much, however well it answered before. */
const isTimeout = (error: unknown): boolean => error instanceof GalleyError && error.code === 'site_timeout'
