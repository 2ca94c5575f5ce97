export async function search() {
  throw Object.assign(new Error('connect ECONNREFUSED <b>10.0.0.7</b>'), { code: 'ECONNREFUSED' });
}

export async function weather() {
  return { degrees: 'warm' };
}
