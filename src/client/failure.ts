/** Galley refused a call, or failed at it. */
export class ApiFailure extends Error {
  override name = 'ApiFailure'
  readonly status: number
  /** Stable; what a program decides by. */
  readonly code: string
  readonly details: unknown

  constructor(
    status: number,
    { code, message, details }: { code: string; message: string; details?: unknown },
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** Nobody answered at the address, or nothing of Galley's. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}
