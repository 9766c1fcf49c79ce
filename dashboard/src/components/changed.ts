/**
 * The members that are not as they were. Only these are sent: what others have changed meanwhile stays.
 *
 * @param before as it was when the form was opened
 */
export const changed = <After extends object>(
  before: { [Name in keyof After]?: unknown },
  after: After,
): Partial<After> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof After]),
    ),
  ) as Partial<After>
