/** Lint rules of this repository that oxlint does not have. */

const noInstanceof = {
  meta: {
    type: 'problem',
    messages: {
      marker: 'Two copies of a package in one tree break instanceof: recognise by code, tag or Symbol.for marker.',
    },
  },
  create: (context) => ({
    BinaryExpression(node) {
      if (node.operator === 'instanceof') context.report({ node, messageId: 'marker' });
    },
  }),
};

export default { meta: { name: 'house' }, rules: { 'no-instanceof': noInstanceof } };
