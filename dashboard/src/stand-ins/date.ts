/** In place of `@wordpress/date`, which brings moment: dates are filtered by Galley, and shown by Intl. */
export const getDate = (date?: string | number | Date): Date =>
  date === undefined ? new Date() : new Date(date)
