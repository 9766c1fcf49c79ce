/** In place of what fields are edited with: rows are not edited in a table, and filters of ours have values to choose from. */
export const getControl = () => null
