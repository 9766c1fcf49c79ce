import type { Task, TaskList } from 'graphile-worker'

/** Milliseconds in which graphile-worker writes down that a job has ended; until then it still counts as running. */
const WRITTEN_WITHIN_MS = 5_000

/** The jobs that this process works on, by the id under which graphile-worker keeps them. */
export class RunningJobs {
  readonly #ids = new Set<string>()

  get ids(): string[] {
    return [...this.#ids]
  }

  /** The same tasks, each counted while it runs. */
  counting(tasks: TaskList): TaskList {
    return Object.fromEntries(
      Object.entries(tasks).map(([name, task]) => [name, task && this.#count(task as Task)]),
    )
  }

  #count =
    (task: Task): Task =>
    async (payload, helpers) => {
      this.#ids.add(helpers.job.id)
      try {
        await task(payload, helpers)
      } finally {
        setTimeout(() => this.#ids.delete(helpers.job.id), WRITTEN_WITHIN_MS).unref()
      }
    }
}
