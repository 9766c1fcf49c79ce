/** What the sender reads. `httpStatus` is 202 where something new was stored and 200 for a repetition. */
export interface Acknowledgement {
  httpStatus: number
  body: object
}
