//! What the machine has, as values: where there is one, the instructions that it stands for may be used.

/// x86-64 with AVX2, BMI and hardware bit counts (2013 and later).
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

/// x86-64 with AVX-512 including its bit counts (2019 and later), and all that comes with [`Avx2`].
#[derive(Clone, Copy, Debug)]
pub struct Avx512(Avx2);

impl Avx2 {
    /// The proof, if this machine has the instructions.
    #[inline]
    pub fn of_this_machine() -> Option<Self> {
        let has_all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        has_all.then_some(Self(()))
    }
}

impl Avx512 {
    /// The proof, if this machine has the instructions.
    #[inline]
    pub fn of_this_machine() -> Option<Self> {
        let avx2 = Avx2::of_this_machine()?;
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512vpopcntdq")
            && is_x86_feature_detected!("avx512bitalg")
            && is_x86_feature_detected!("avx512vbmi2")
            // The compiler takes these two to come with avx512f.
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c");
        has_all.then_some(Self(avx2))
    }

    /// What comes with it.
    #[inline(always)]
    pub(super) fn avx2(self) -> Avx2 {
        self.0
    }
}
