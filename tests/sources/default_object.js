export default {
  name: "component",
  data() {
    return load();
  },
  methods: { nested() {} },
  arrow: () => 1,
};
