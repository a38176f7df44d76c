// The runs of the folder: a list of them.

export function show() {}
